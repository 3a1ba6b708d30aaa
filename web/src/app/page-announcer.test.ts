import { afterEach, expect, it } from "vitest";
import { whenHeadingAppears } from "./page-announcer";

afterEach(() => document.body.replaceChildren());

/** Renders `markup`, starts waiting for a heading and then adds it. Returns the headings found. */
async function afterNavigation(markup: string): Promise<HTMLElement[]> {
  document.body.innerHTML = markup;
  document.querySelector<HTMLElement>("[data-focus]")?.focus();
  const found: HTMLElement[] = [];
  const stop = whenHeadingAppears((heading) => found.push(heading));
  document.body.append(document.createElement("h1"));
  await Promise.resolve();
  stop();
  return found;
}

it("moves focus to the heading if it is where the navigation started", async () => {
  expect(await afterNavigation('<a href="/" data-focus>Profile</a>')).toHaveLength(1);
  expect(await afterNavigation("<p>Nothing has focus</p>")).toHaveLength(1);
});

it("keeps focus in a menu that was opened meanwhile, since it would close", async () => {
  const menu = (state: string) =>
    `<div role="menu" data-state="${state}"><a href="/" role="menuitem" data-focus>Settings</a></div>`;
  expect(await afterNavigation(menu("open"))).toHaveLength(0);
  expect(await afterNavigation(menu("closed"))).toHaveLength(1);
});
