import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, test, vi } from "vitest";
import { Menu, MenuItem } from "./menu";

const chosen = vi.fn<() => void>();

beforeEach(() => {
  render(
    <Menu trigger={<button type="button">Actions</button>}>
      <MenuItem disabled onSelect={chosen}>
        Move
      </MenuItem>
      <MenuItem onSelect={chosen}>Edit</MenuItem>
    </Menu>,
  );
});
const button = () => screen.getByRole("button", { name: "Actions" });

test("a key opens the menu with the focus on its first usable item; closing gives it back", async () => {
  expect(button().getAttribute("aria-haspopup")).toBe("menu");
  expect(button().getAttribute("aria-expanded")).toBe("false");
  button().focus();
  fireEvent.keyDown(button(), { key: "ArrowDown" });
  const edit = await screen.findByRole("menuitem", { name: "Edit" });
  await waitFor(() => expect(document.activeElement).toBe(edit));
  fireEvent.keyDown(edit, { key: "Escape" });
  await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
  expect(document.activeElement).toBe(button());
});

test("a press opens the menu itself", async () => {
  fireEvent.pointerDown(button(), { button: 0 });
  const menu = await screen.findByRole("menu");
  await waitFor(() => expect(document.activeElement).toBe(menu));
  fireEvent.click(screen.getByRole("menuitem", { name: "Edit" }));
  expect(chosen).toHaveBeenCalledTimes(1);
});

test("a click without a pointer opens the menu each time", async () => {
  for (let time = 0; time < 2; time += 1) {
    fireEvent.click(button());
    const edit = await screen.findByRole("menuitem", { name: "Edit" });
    await waitFor(() => expect(document.activeElement).toBe(edit));
    fireEvent.keyDown(edit, { key: "Escape" });
    await waitFor(() => expect(screen.queryByRole("menu")).toBeNull());
  }
});
