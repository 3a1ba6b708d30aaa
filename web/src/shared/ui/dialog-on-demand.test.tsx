import { act, render, screen } from "@testing-library/react";
import type { ComponentType } from "react";
import { expect, test, vi } from "vitest";
import { currentToast, toast } from "../toast/store";
import { dialogOnDemand } from "./dialog-on-demand";

interface Props {
  onClose: () => void;
}

test("a dialog opens when its code is loaded", async () => {
  const { promise, resolve } = Promise.withResolvers<ComponentType<Props>>();
  const Dialog = dialogOnDemand<Props>(() => promise);
  const onClose = vi.fn<() => void>();
  render(<Dialog onClose={onClose} />);
  expect(screen.queryByRole("dialog")).toBeNull();
  await act(async () => {
    resolve(() => <div role="dialog" />);
    await promise;
  });
  expect(screen.getByRole("dialog")).toBeTruthy();
  expect(onClose).not.toHaveBeenCalled();
});

test("a dialog whose code can't be loaded closes, and shows why", async () => {
  toast.dismiss();
  const Dialog = dialogOnDemand<Props>(() => Promise.reject(new Error("offline")));
  const onClose = vi.fn<() => void>();
  render(<Dialog onClose={onClose} />);
  await vi.waitFor(() => expect(onClose).toHaveBeenCalledTimes(1));
  expect(currentToast()?.title).toMatch(/^Unable to connect/);
});
