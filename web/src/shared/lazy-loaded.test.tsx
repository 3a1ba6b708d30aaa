import { fireEvent, render, screen } from "@testing-library/react";
import { Suspense, type ComponentType } from "react";
import { expect, it, vi } from "vitest";
import { changeLanguage } from "#/i18n";
import { lazyLoaded } from "./lazy-loaded";

it("a component that can't be loaded shows a line, and is loaded by its retry", async () => {
  await changeLanguage("en");
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  let online = false;
  const Part = lazyLoaded<{ name: string }>(() =>
    online
      ? Promise.resolve<ComponentType<{ name: string }>>(({ name }) => <p>{name}</p>)
      : Promise.reject(new TypeError("no signal")),
  );
  render(
    <Suspense fallback="loading">
      <Part name="Excavator" />
    </Suspense>,
  );
  const line = await screen.findByRole("alert");
  expect(line.textContent).toContain("The page could not be loaded.");
  online = true;
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));
  expect(await screen.findByText("Excavator")).toBeTruthy();
});
