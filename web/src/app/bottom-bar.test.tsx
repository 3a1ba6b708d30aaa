import { createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { NavigationContext } from "#/shared/navigation";
import { owner, renderPart } from "#/test/render-app";
import { BottomBar } from "./bottom-bar";

it("has the main places within thumb reach, and all others under More", async () => {
  const navigation = { path: "/review", go: async () => undefined, prepare: () => undefined };
  await renderPart(
    <NavigationContext value={navigation}>
      <BottomBar
        user={{
          ...owner,
          role: "owner",
          notices: [],
          secondFactorMissing: false,
          fuelUnit: "gallons",
        }}
      />
    </NavigationContext>,
    createRouterTransport(() => undefined),
  );
  const bar = screen.getByRole("navigation", { name: "Quick navigation" });
  const links = within(bar).getAllByRole("link");
  expect(links.map((link) => [link.textContent, link.getAttribute("href")])).toEqual([
    ["Home", "/"],
    ["Equipment", "/equipment-list"],
    ["Review", "/review"],
  ]);
  expect(links[2]?.getAttribute("aria-current")).toBe("page");
  fireEvent.click(within(bar).getByRole("button", { name: "More" }));
  const menu = await screen.findByRole("dialog", { name: "Menu" });
  expect(within(menu).getByRole("link", { name: "Settings" })).toBeTruthy();
});
