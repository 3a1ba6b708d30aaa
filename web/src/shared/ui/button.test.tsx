import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Button } from "./button";

function Save({ reason }: { reason: string | undefined }) {
  return <Button disabledReason={reason}>Save</Button>;
}

test("a button that is disabled while focused keeps the focus, and explains why", () => {
  const { rerender } = render(<Save reason={undefined} />);
  const button = screen.getByRole("button", { name: "Save" });
  button.focus();
  rerender(<Save reason="Nothing to save" />);
  expect(document.activeElement).toBe(button);
  expect(screen.getByRole("button", { name: "Save" }).getAttribute("aria-disabled")).toBe("true");
  expect(screen.getByRole("button", { description: /^Nothing to save/ })).toBe(button);
  rerender(<Save reason={undefined} />);
  expect(document.activeElement).toBe(button);
});
