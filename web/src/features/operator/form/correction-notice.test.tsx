import { render, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { loadAllLanguages } from "#/i18n";
import { CorrectionNotice } from "./correction-notice";
import { emptyUpdate } from "./schema";

it("shows a suggested reason in the operator's language", async () => {
  await loadAllLanguages();
  const correction = {
    key: "u1",
    values: emptyUpdate,
    equipmentId: "e1",
    equipmentName: "Excavator",
    reason: "Error al escribir",
    capturedAt: new Date(),
    mayBeReadAgain: false,
    replacedId: null,
    updateId: "u1",
  };
  const nothing = vi.fn<() => void>();
  render(
    <CorrectionNotice correction={correction} readThen onReadThen={nothing} onStop={nothing} />,
  );
  expect(screen.getByText(/You are correcting an update/).textContent).toContain("Typing error");
});
