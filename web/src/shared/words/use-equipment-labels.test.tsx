import { renderHook } from "@testing-library/react";
import { expect, it } from "vitest";
import { useEquipmentLabels } from "./use-equipment-labels";

it("does not call a machine overdue that is due since its previous meter", () => {
  const { due } = renderHook(useEquipmentLabels).result.current;
  const figures = { kind: "dueAt", status: "time_for_service", percent: 105 } as const;
  expect(due({ ...figures, at: 250, over: 0 }, "hours")).toBe("service due at 250");
  expect(due({ ...figures, at: 250, over: 14.7 }, "hours")).toBe(
    "service due at 250 · 14.7 hours over",
  );
  expect(due({ ...figures, at: null, over: 14.7 }, "hours")).toBe("14.7 hours over");
});
