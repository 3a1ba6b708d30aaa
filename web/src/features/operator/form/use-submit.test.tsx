import { act, renderHook } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { emptyUpdate, type UpdateValues } from "./schema";
import type { ListState } from "../offline-data/cached-query";
import { fieldMachine } from "../operator.fixture";
import type { OperatorPageState } from "../use-operator-page";
import { useSubmit } from "./use-submit";

const loader = fieldMachine("e1", { name: "Loader", meterReading: 1000, usualFill: null });

const nothing = () => undefined;
const never = () => Promise.reject(new Error("not expected"));

it("questions a reading once when the list changes its state twice", async () => {
  const submitEntry = vi.fn<OperatorPageState["outbox"]["submit"]>();
  const page = (state: ListState): OperatorPageState => {
    const machines = state === "loading" ? [] : [loader];
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
      list: { ...synced, machines },
      history: { ...synced, updates: [], hasMore: false, loadMore: nothing, loadingMore: false },
      machineOf: (id) => machines.find((machine) => machine.equipmentId === id),
      lastOf: (machine) => ({ reading: machine.meterReading, at: machine.meterReadAt, own: false }),
      reports: [],
      quickMachines: [],
      isPinned: () => false,
      togglePin: nothing,
    };
  };
  const values: UpdateValues = { ...emptyUpdate, equipmentId: "e1", reading: "15" };
  const { result, rerender } = renderHook(
    (state: ListState) => {
      return useSubmit({
        page: page(state),
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
        onSubmitted: nothing,
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
