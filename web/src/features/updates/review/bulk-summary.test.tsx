import { createRouterTransport } from "@connectrpc/connect";
import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { renderPart } from "#/test/render-app";
import { BulkSummary } from "./bulk-summary";

it("offers Undo as long as the server accepts it", async () => {
  const summary = {
    kind: "apply",
    done: ["a"],
    refused: 1,
    busy: 0,
    unknown: 0,
    rest: 0,
    startedAt: Date.now() - 54_500,
  } as const;
  const nothing = () => undefined;
  await renderPart(
    <BulkSummary summary={summary} onUndo={nothing} onDismiss={nothing} />,
    createRouterTransport(nothing),
  );
  expect(screen.getByRole("button", { name: "Undo" })).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole("button", { name: "Undo" })).toBeNull());
  expect(screen.getByText("1 update applied")).toBeTruthy();
});
