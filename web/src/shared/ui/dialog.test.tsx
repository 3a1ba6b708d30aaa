import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { useState } from "react";
import { expect, test } from "vitest";
import { Dialog } from "./dialog";

/** A page whose button opens a form, which a result replaces. */
function Page({ isButtonKept = true }) {
  const [shown, setShown] = useState<"form" | "result" | "nothing">("nothing");
  const [wasOpen, setWasOpen] = useState(false);
  const open = () => {
    setShown("form");
    setWasOpen(true);
  };
  return (
    <>
      <h1 tabIndex={-1}>Operators</h1>
      {(isButtonKept || !wasOpen) && <button onClick={open}>Add</button>}
      {shown === "form" && (
        <Dialog key="form" open onOpenChange={() => setShown("nothing")} title="Form">
          <button onClick={() => setShown("result")}>Save</button>
        </Dialog>
      )}
      {shown === "result" && (
        <Dialog key="result" open onOpenChange={() => setShown("nothing")} title="Result" />
      )}
    </>
  );
}

function openForm() {
  const button = screen.getByRole("button", { name: "Add" });
  button.focus();
  fireEvent.click(button);
  return button;
}

const press = (name: string) => fireEvent.click(screen.getByRole("button", { name }));

test("the focus returns to the opener of a dialog that another one replaced", async () => {
  render(<Page />);
  const button = openForm();
  press("Save");
  const result = await screen.findByRole("dialog", { name: "Result" });
  await waitFor(() => expect(result.contains(document.activeElement)).toBe(true));
  press("Close");
  await waitFor(() => expect(document.activeElement).toBe(button));
});

test("the heading gets the focus if the opener has left the page", async () => {
  render(<Page isButtonKept={false} />);
  openForm();
  press("Close");
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("heading")));
});

test("the heading gets the focus if nothing had it", async () => {
  render(<Page />);
  press("Add");
  press("Close");
  await waitFor(() => expect(document.activeElement).toBe(screen.getByRole("heading")));
});

test("a dialog starts in its first field that can be changed", async () => {
  render(
    <Dialog open onOpenChange={() => undefined} title="Form">
      <input disabled aria-label="Email" />
      <input aria-label="Devices" />
    </Dialog>,
  );
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Devices")));
});
