import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { serviceFigures, type ServiceFacts, type ServiceFigures } from "./service-status";

interface Vector {
  name: string;
  input: ServiceFacts;
  expected: ServiceFigures;
}

const { cases }: { cases: Vector[] } = JSON.parse(
  readFileSync(`${import.meta.dirname}/../../../proto/testdata/service-status.json`, "utf8"),
);

// The equipment service is tested with the same table.
test.each(cases)("$name", ({ input, expected }) => {
  expect(serviceFigures(input)).toEqual(expected);
});
