import { render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { loadAllLanguages, loadTexts } from "#/i18n";
import type { Correction } from "./correction";
import { CorrectionNotice } from "./correction-notice";
import { emptyUpdate } from "./schema";

const correction = {
  key: "u1",
  values: emptyUpdate,
  equipmentId: "e1",
  equipmentName: "Excavator",
  reason: "Error al escribir",
  withdrawn: false,
  capturedAt: new Date(),
  mayBeReadAgain: false,
  replacedId: null,
  updateId: "u1",
};

async function show(shown: Correction) {
  await loadTexts("operator", "phone");
  await loadAllLanguages();
  const nothing = vi.fn<() => void>();
  render(<CorrectionNotice correction={shown} readThen onReadThen={nothing} onStop={nothing} />);
}

it("shows a suggested reason in the operator's language", async () => {
  await show(correction);
  expect(screen.getByText(/You are correcting an update/).textContent).toContain("Typing error");
});

it("is no alert for an update that the operator withdrew", async () => {
  await show({ ...correction, withdrawn: true, reason: "WITHDRAWN" });
  expect(screen.getByText("You withdrew this update. Edit it and send it again.")).toBeTruthy();
  expect(screen.queryByRole("alert")).toBeNull();
});
