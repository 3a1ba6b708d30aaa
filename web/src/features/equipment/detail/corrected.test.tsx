import { create } from "@bufbuild/protobuf";
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import {
  CorrectionSchema,
  FuelKind,
  MeterUnit,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { currentPrintJob, setPrintJob } from "#/shared/print/store";
import { openDetail, record, world } from "./detail.fixture";

const files: string[] = [];
vi.mock("#/shared/csv/download", () => ({
  download: (_: string, text: string) => files.push(text),
}));
beforeEach(() => {
  setPrintJob(null);
  files.length = 0;
});

const corrected = () =>
  record({
    reading: 4812.5,
    usage: 4812.5,
    fuelAdded: 12,
    fuelKind: FuelKind.DIESEL,
    correction: create(CorrectionSchema, {
      by: "Dana",
      sent: {
        reading: 4182.5,
        unit: MeterUnit.HOURS,
        fuelAdded: 120,
        fuelKind: FuelKind.DIESEL,
      },
    }),
  });
const text = "Corrected by Dana; Maria López sent 4,182.5 hours, 120.0 gal diesel";
const press = async (name: string) => fireEvent.click(await screen.findByRole("button", { name }));

describe("a value that a manager corrected", () => {
  it.each([
    ["history", "History"],
    ["fuel", "Fuel entries"],
  ])("is named with what the operator sent, in the list and the file: %s", async (tab, list) => {
    await openDetail(world({ records: [corrected()] }), `?tab=${tab}`);
    expect(within(await screen.findByRole("list", { name: list })).getByText(text)).toBeTruthy();
    await press("Export CSV");
    await waitFor(() => expect(files).toHaveLength(1));
    expect(files[0]).toContain(`,"${text}"\r\n`);
  });

  it("is named on paper", async () => {
    vi.spyOn(window, "print").mockImplementation(() => undefined);
    await openDetail(world({ records: [corrected()] }), "?tab=history");
    await press("Print");
    await waitFor(() => expect(currentPrintJob()?.rows[0]).toContain(text));
  });
});
