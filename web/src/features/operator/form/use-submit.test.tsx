import { act, renderHook } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { emptyUpdate, type UpdateValues } from "./schema";
import type { ListState } from "../offline-data/kept-query";
import { fieldMeter } from "../operator.fixture";
import type { Desk } from "../use-desk";
import { useSubmit } from "./use-submit";

const loader = fieldMeter("e1", { name: "Loader", meterReading: 1000, usualFill: null });

const nothing = () => undefined;
const never = () => Promise.reject(new Error("not expected"));

it("asks about a reading once when the list changes its state twice", async () => {
  const submitEntry = vi.fn<Desk["outbox"]["submit"]>();
  const desk = (state: ListState): Desk => {
    const meters = state === "loading" ? [] : [loader];
    const synced = {
      syncedAt: new Date(),
      state,
      error: null,
      refreshing: false,
      refetch: nothing,
    };
    return {
      outbox: {
        submit: submitEntry,
        state: {
          get: () => {
            throw new Error("not expected");
          },
          subscribe: () => nothing,
        },
        discard: never,
        flush: never,
        sendNow: never,
        start: () => nothing,
      },
      list: { ...synced, meters },
      history: { ...synced, updates: [], hasMore: false, loadMore: nothing, loadingMore: false },
      meterOf: (id) => meters.find((meter) => meter.equipmentId === id),
      lastOf: (meter) => ({ reading: meter.meterReading, at: meter.meterReadAt, own: false }),
      reports: [],
      atHand: [],
      isPinned: () => false,
      togglePin: nothing,
    };
  };
  const values: UpdateValues = { ...emptyUpdate, equipmentId: "e1", reading: "15" };
  const { result, rerender } = renderHook(
    (state: ListState) => {
      return useSubmit({
        desk: desk(state),
        form: {
          values,
          readThen: false,
          submitted: false,
          change: nothing,
          submit: nothing,
          finish: nothing,
        },
        correction: null,
        onRefused: nothing,
        onKept: nothing,
      });
    },
    { initialProps: "loading" },
  );
  act(() => result.current.submit());
  expect(result.current.waiting).toBe(true);
  rerender("ready");
  rerender("ready");
  await vi.waitFor(() => expect(result.current.question).not.toBeNull());
  expect(result.current.waiting).toBe(false);
  expect(submitEntry).not.toHaveBeenCalled();
});
