import { fireEvent, render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { SearchList } from "./search-list";

/** A list with one result of the typed text or, if not settled, of an earlier search. */
function show() {
  const chosen = vi.fn<(key: string) => void>();
  const list = (key: string, settled: boolean) => (
    <SearchList
      label="Machine"
      value=""
      onChange={() => undefined}
      groups={[
        { key: "all", title: "All", options: [{ key, label: key, onChoose: () => chosen(key) }] },
      ]}
      settled={settled}
      status=""
    />
  );
  const { rerender } = render(list("earlier", false));
  return { chosen, settle: () => rerender(list("typed", true)) };
}

const field = () => screen.getByRole("combobox");
const press = (key: string) => fireEvent.keyDown(field(), { key });

it("chooses the first result of the typed text, once, for an Enter before it", () => {
  const { chosen, settle } = show();
  press("Enter");
  press("Enter");
  expect(chosen).not.toHaveBeenCalled();
  settle();
  expect(chosen.mock.calls).toEqual([["typed"]]);
});

it.each([
  ["Escape", () => press("Escape")],
  ["typing", () => fireEvent.change(field(), { target: { value: "3" } })],
])("chooses nothing if %s follows the early Enter", (_, cancel) => {
  const { chosen, settle } = show();
  press("Enter");
  cancel();
  settle();
  expect(chosen).not.toHaveBeenCalled();
  press("Enter");
  expect(chosen.mock.calls).toEqual([["typed"]]);
});
