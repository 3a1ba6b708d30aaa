import { expect, it } from "vitest";
import { ServiceStatus } from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { severityIn } from "./severity";

it("shows nothing about a machine without a recent reading as good", () => {
  const serviceStatus = ServiceStatus.OVERDUE;
  expect(severityIn({ stale: false, serviceStatus }, "good")).toBe("good");
  expect(severityIn({ stale: true, serviceStatus }, "good")).toBe("none");
  expect(severityIn({ stale: true, serviceStatus }, "normal")).toBe("none");
  expect(severityIn({ stale: true, serviceStatus }, "overdue")).toBe("over");
});

it("shows a snoozed task of a good machine as no problem", () => {
  const good = { stale: false, serviceStatus: ServiceStatus.GOOD };
  expect(severityIn(good, "overdue")).toBe("none");
  expect(severityIn(good, "good")).toBe("good");
});
