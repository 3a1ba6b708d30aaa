import { webcrypto } from "node:crypto";
import { createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, expect, it, vi } from "vitest";
import { pinOfferKey } from "#/device/pin-offer";
import { loadTexts } from "#/i18n";
import { operator, renderPart, stubRest } from "#/test/render-app";
import { PinHint } from "./pin-hint";

beforeEach(() => sessionStorage.clear());

async function open() {
  vi.stubGlobal("crypto", webcrypto);
  vi.stubGlobal("indexedDB", {});
  stubRest({ "GET /api/auth/user": { status: 200, body: operator } });
  await loadTexts("phone");
  await renderPart(
    <PinHint />,
    createRouterTransport(() => undefined),
  );
}

it("asks for a PIN immediately after a sign-in by a card, until the dialog is closed", async () => {
  sessionStorage.setItem(pinOfferKey, "1");
  await open();
  const dialog = await screen.findByRole("dialog", { name: "Choose a PIN" });
  expect(sessionStorage.getItem(pinOfferKey)).not.toBeNull();
  fireEvent.click(within(dialog).getByRole("button", { name: "Cancel" }));
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
  expect(sessionStorage.getItem(pinOfferKey)).toBeNull();
  expect(await screen.findByRole("button", { name: /Choose a PIN/ })).toBeTruthy();
});

it("only offers a PIN after another sign-in", async () => {
  await open();
  await screen.findByRole("button", { name: /Choose a PIN/ });
  expect(screen.queryByRole("dialog")).toBeNull();
});
