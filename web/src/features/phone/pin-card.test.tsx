import { webcrypto } from "node:crypto";
import { createRouterTransport } from "@connectrpc/connect";
import { screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { enterByPin } from "#/session/session";
import { userOf } from "#/session/user";
import { loadTexts } from "#/i18n";
import { renderPart } from "#/test/render-app";
import { PinCard } from "./pin-card";

it("a PIN can be chosen only with a session", async () => {
  vi.stubGlobal("crypto", webcrypto);
  vi.stubGlobal("indexedDB", {});
  vi.stubGlobal("fetch", () => Promise.reject(new TypeError("no signal")));
  await loadTexts("phone");
  const transport = createRouterTransport(() => undefined);
  const { queryClient } = await renderPart(<PinCard />, transport);
  const user = userOf({
    id: "u2",
    companyId: "c1",
    firstName: "María",
    lastName: null,
    role: "operator",
    businessName: "Acme",
    operatorUsername: "maria4821",
    fuelUnit: null,
  });
  void enterByPin(queryClient, user);
  const choose = await screen.findByRole("button", { name: /Choose a PIN/ });
  expect(choose.getAttribute("aria-disabled")).toBe("true");
  expect(choose.getAttribute("aria-describedby")).toBeTruthy();
});
