import { expect, it } from "vitest";
import { severityIn } from "./severity";

it("shows nothing about a machine without a recent reading as good", () => {
  expect(severityIn({ stale: false }, "good")).toBe("good");
  expect(severityIn({ stale: true }, "good")).toBe("none");
  expect(severityIn({ stale: true }, "normal")).toBe("none");
  expect(severityIn({ stale: true }, "overdue")).toBe("over");
});
