import type { Transport } from "@connectrpc/connect";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { expect } from "vitest";
import { operator, renderApp, stubRest, type Answer } from "#/test/render-app";
import type { OwnUpdate } from "./offline-data/own-update";
import { machine, operatorServer, type Submission } from "./operator.fixture";

const fleet = [
  machine("e2", "Backhoe", { meterReading: 9120 }),
  machine("e1", "Excavator", { serialNumber: "0O1I8B2C", meterReading: 4804.1 }),
  machine("e3", "Pickup", { unit: "miles", fuelType: "gasoline", meterReading: 88904 }),
  machine("e4", "Trailer", { unit: "n/a" }),
];

/** Opens the page. `answer` is the server's response to each submission, `withdrawal` to each withdrawal. */
export async function open({
  answer = () => undefined,
  withdrawal = () => undefined,
  sent = [],
  machines = fleet,
  transport,
}: {
  answer?: (submission: Submission) => Answer | void | Promise<Answer | void>;
  withdrawal?: (stored: OwnUpdate) => Answer | void;
  sent?: OwnUpdate[];
  machines?: typeof fleet | Answer;
  transport?: Transport;
} = {}) {
  const { routes, received, keys } = operatorServer({
    sent,
    answerSubmission: answer,
    answerWithdrawal: withdrawal,
    ...(Array.isArray(machines) ? { machines } : { list: () => machines }),
  });
  // The same object, because submissions add routes.
  stubRest(
    Object.assign(routes, {
      "GET /api/auth/user": { status: 200, body: operator },
      "POST /api/auth/logout": { status: 204 },
      "GET /api/logout": { status: 204 },
    }),
  );
  const app = await renderApp("/operator", transport);
  await screen.findByRole("heading", { level: 1, name: "Equipment Updates" });
  await screen.findByRole("form", { name: "New update" });
  return { ...app, received, keys };
}

export const type = (label: string | RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
export const typeHours = (value: string) =>
  fireEvent.change(screen.getByRole("textbox", { name: "Hours added" }), { target: { value } });
export const press = (name: string | RegExp) =>
  fireEvent.click(screen.getByRole("button", { name }));
export const valueOf = (label: string | RegExp) =>
  screen.getByLabelText<HTMLInputElement>(label).value;
/** Replaces the non-breaking space between a number and its unit. */
export const textOf = (element: Element | null) => element?.textContent.replaceAll("\u00a0", " ");
export const question = (name: string) => screen.findByRole("dialog", { name });

export async function choose(name: RegExp) {
  fireEvent.click(screen.getByLabelText("Equipment"));
  const sheet = await screen.findByRole("dialog", { name: "Choose equipment" });
  const rows = await within(sheet).findAllByRole("button", { name });
  // The names of the pin buttons contain the machine's name too.
  const row = rows.find((each) => !each.hasAttribute("aria-label"));
  fireEvent.click(row ?? sheet);
  await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
}
