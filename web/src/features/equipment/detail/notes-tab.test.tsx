import { Code, ConnectError } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { NoteType } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { changeLanguage } from "#/i18n";
import { currentToast } from "#/shared/toast/store";
import { openDialog } from "#/test/open-dialog";
import { day, id, openDetail, world, type World } from "./detail.fixture";

const open = (state: World) => openDetail(state, "?tab=notes");
const write = async (text: string) => {
  const field = await screen.findByRole<HTMLTextAreaElement>("textbox", { name: "New note" });
  fireEvent.change(field, { target: { value: text } });
  fireEvent.click(screen.getByRole("button", { name: "Add note" }));
  return field;
};

it("refuses a blank note before anything is sent", async () => {
  const state = world();
  await open(state);
  await write("   ");
  expect(await screen.findByText("Please write a note first.")).toBeTruthy();
  expect(state.calls).toEqual([]);
});

it("adds a trimmed note and empties the field", async () => {
  const state = world();
  await open(state);
  const field = await write(" Order teeth ");
  await waitFor(() => expect(currentToast()?.title).toBe("Note Added"));
  expect(state.calls).toEqual([
    ["note", { equipmentId: id, content: "Order teeth", type: NoteType.NOTE }],
  ]);
  expect(field.value).toBe("");
});

it("voids the note when it is undone", async () => {
  const state = world();
  await open(state);
  await write("Order teeth");
  await waitFor(() => expect(currentToast()?.action?.label).toBe("Undo"));
  currentToast()?.action?.run();
  await waitFor(() => expect(currentToast()?.title).toBe("Change undone"));
  expect(state.calls.at(-1)).toMatchObject([
    "void",
    { equipmentId: id, entryId: "note", reason: "Undone by its author" },
  ]);
});

it("keeps the note when the server refuses it", async () => {
  const state = world({ refusal: new ConnectError("The disk is full.", Code.Internal) });
  await open(state);
  const field = await write("Order teeth");
  await waitFor(() =>
    expect(currentToast()?.description).toBe("Failed to add note. Please try again."),
  );
  expect(field.value).toBe("Order teeth");
});

it("names the task of a service", async () => {
  const note = { content: "New filter", authorName: "Luis", taskName: "Hydraulics" };
  await open(world({ notes: [{ id: "n", ...note }] }));
  const item = (await screen.findByText("New filter")).closest("li");
  expect(item?.textContent).toContain("Hydraulics");
});

it("has an operator's note of a replaced meter in the reader's language", async () => {
  await open(world({ notes: [{ id: "n", content: "Medidor cambiado", authorName: "Luis" }] }));
  expect(await screen.findByText("Meter replaced")).toBeTruthy();
});

it("names the operator whose notes a manager's text about a new meter ends with", async () => {
  const ended = "Meter replaced: the old one ended at 763 hours, the new one began at 0 hours.";
  const note = { id: "n", type: NoteType.MAINTENANCE, authorName: "Dana", reportedBy: "Luis" };
  await open(world({ notes: [{ ...note, content: `${ended}\nMeter replaced\nBelt is loose` }] }));
  const text = await screen.findByText(/The old meter ended at 763 hours/);
  expect(text.textContent).toMatch(/0 hours\.\nLuis: Belt is loose$/);
});

it("strikes a voided note through, with the reason, in Spanish too", async () => {
  const voiding = { by: "Ana", reason: "otra máquina", at: day("2026-11-20") };
  const note = { id: "n", content: "Wrong one", authorName: "Luis", voiding };
  await open(world({ notes: [note] }));
  expect((await screen.findByText("Wrong one")).className).toContain("line-through");
  await changeLanguage("es");
  expect(await screen.findByText("Anulado por Ana el 20 nov 2026: otra máquina")).toBeTruthy();
  await changeLanguage("en");
});

it("strikes a voided note through in the notes dialog as well", async () => {
  const voiding = { by: "Ana", reason: "wrong machine", at: day("2026-11-20") };
  const note = { id: "n", content: "Wrong one", authorName: "Luis", voiding };
  await openDetail(world({ notes: [note] }));
  const trigger = await screen.findByRole("button", { name: "Actions for Excavator" });
  fireEvent.keyDown(trigger, { key: "Enter" });
  const item = within(await screen.findByRole("menu")).getByRole("menuitem", { name: "Add note" });
  fireEvent.click(item);
  const dialog = await openDialog("Notes");
  expect((await dialog.findByText("Wrong one")).className).toContain("line-through");
  expect(dialog.getByText("Voided by Ana on Nov 20, 2026: wrong machine")).toBeTruthy();
});
