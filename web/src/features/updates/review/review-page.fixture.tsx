import { useQueryClient } from "@tanstack/react-query";
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { useState } from "react";
import { expect } from "vitest";
import { PrintHost } from "#/shared/print/print-host";
import { open as openPart } from "../updates.fixture";
import { ReviewPage } from "./review-page";
import type { ReviewSearch } from "./search";

export type Updates = Parameters<typeof openPart>[1];
type Options = Parameters<typeof openPart>[2];

export const open = async (updates: Updates, options: Options = {}) => {
  const calls = await openPart(<Page />, updates, options);
  if (updates.length > 0 && !options.gate) await row(updates[0]?.id ?? "");
  return calls;
};

export const openLive = (updates: Updates, options?: Options) =>
  openPart(
    <>
      <Page />
      <PrintHost />
      <Refetch />
    </>,
    updates,
    options,
  );

function Page() {
  const [search, setSearch] = useState<ReviewSearch>({});
  return <ReviewPage search={search} onSearch={setSearch} />;
}

/** Refetches the list, like an external event. */
export const refetch = () => fireEvent.click(screen.getByText("Refetch"));

function Refetch() {
  const client = useQueryClient();
  return <button onClick={() => void client.invalidateQueries()}>Refetch</button>;
}

/** The row of an update. */
export const row = (id: string) =>
  waitFor(() => {
    const found = document.getElementById(`update-${id}`);
    if (!found) throw new Error(`no row ${id}`);
    return found;
  });
/** It was decided, on this page or by someone else. */
export const gone = (id: string) =>
  waitFor(() =>
    expect(document.querySelector(`[id="update-${id}"]:not([data-decided])`)).toBeNull(),
  );
/** It is to be decided again. */
export const waiting = (id: string) =>
  waitFor(async () => expect((await row(id)).dataset["decided"]).toBeUndefined());
export const press = async (id: string, name: string) =>
  fireEvent.click(within(await row(id)).getByRole("button", { name }));
export const key = (name: string, more: object = {}) =>
  fireEvent.keyDown(document.activeElement ?? document.body, { key: name, ...more });
export const focus = async (id: string) => {
  const found = await row(id);
  act(() => found.focus());
};
export const choose = async (id: string, name: string) => {
  fireEvent.click(within(await row(id)).getByRole("button", { name: /^More actions for/ }));
  fireEvent.click(await screen.findByRole("menuitem", { name }));
};
