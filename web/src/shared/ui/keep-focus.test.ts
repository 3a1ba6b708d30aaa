import { afterEach, beforeEach, expect, it } from "vitest";
import { keepFocus } from "./keep-focus";

let stop: () => void;

beforeEach(() => {
  document.body.innerHTML = `
    <h1 tabindex="-1">Overdue</h1>
    <ul>
      <li><a href="/a">A</a> <button>Menu of A</button></li>
      <li><a href="/b">B</a> <button>Menu of B</button></li>
    </ul>
    <p><button>Clear filters</button></p>`;
  stop = keepFocus();
});

afterEach(() => {
  stop();
  document.body.replaceChildren();
});

const button = (name: string) =>
  [...document.querySelectorAll("button")].find(({ textContent }) => textContent === name);

/** Focuses a button and removes what contains it. Returns the text that then has the focus. */
async function focusedWithout(name: string, container: string) {
  button(name)?.focus();
  button(name)?.closest(container)?.remove();
  await Promise.resolve();
  return document.activeElement === document.body ? null : document.activeElement?.textContent;
}

it("focuses the row that takes the place of the focused one", async () => {
  expect(await focusedWithout("Menu of A", "li")).toBe("B");
});

it("focuses the last row after the last one has left", async () => {
  expect(await focusedWithout("Menu of B", "li")).toBe("A");
});

it("focuses the heading if the list or another part with the focus has left", async () => {
  expect(await focusedWithout("Menu of A", "ul")).toBe("Overdue");
  expect(await focusedWithout("Clear filters", "p")).toBe("Overdue");
});

it("leaves the focus where a press took it away", async () => {
  button("Menu of A")?.focus();
  document.querySelector("p")?.dispatchEvent(new Event("pointerdown", { bubbles: true }));
  button("Menu of A")?.blur();
  document.querySelector("li")?.remove();
  await Promise.resolve();
  expect(document.activeElement).toBe(document.body);
});

it("leaves the focus to a dialog, which returns it", async () => {
  const dialog = document.createElement("div");
  dialog.setAttribute("role", "dialog");
  dialog.innerHTML = "<button>Save</button>";
  document.body.append(dialog);
  expect(await focusedWithout("Save", "[role=dialog]")).toBeNull();
});
