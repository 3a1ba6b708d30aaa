import { createRouterTransport } from "@connectrpc/connect";
import { act, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import {
  EquipmentOrder,
  EquipmentService,
  EquipmentType,
  ServiceStatus,
  type ListEquipmentRequest,
} from "#/api/gen/hourmeter/equipment/v1/equipment_pb";
import { renderPart } from "#/test/render-app";
import { allPages, useEquipmentPages } from "./equipment-pages";
import { changeOfSort, orderOf, sortOf } from "./order";

/** Three rows, two a page; the second stands on both, as when it changed its place meanwhile. */
function threeRows() {
  const asked: ListEquipmentRequest[] = [];
  const transport = createRouterTransport(({ service }) => {
    service(EquipmentService, {
      listEquipment: (request) => {
        asked.push(request);
        return request.page?.cursor
          ? { equipment: [{ id: "b" }, { id: "c" }], page: { nextCursor: "" } }
          : { equipment: [{ id: "a" }, { id: "b" }], page: { nextCursor: "2" }, matching: 3 };
      },
    });
  });
  return { asked, transport };
}

describe("pages of equipment", () => {
  it("are one list, each row once, with the filter on the server", async () => {
    const { asked, transport } = threeRows();
    let more = () => {};
    function Ids() {
      const pages = useEquipmentPages(
        { status: "due", type: "tools", search: " saw " },
        { order: EquipmentOrder.USAGE, descending: true },
      );
      more = pages.more;
      return (
        <p>
          {pages.rows?.map((row) => row.id).join("")} of {pages.matching}
        </p>
      );
    }
    await renderPart(<Ids />, transport);
    await screen.findByText("ab of 3");
    act(() => more());
    await screen.findByText("abc of 3");
    act(() => more());
    await waitFor(() => expect(asked).toHaveLength(2));
    expect(asked[0]).toMatchObject({
      status: ServiceStatus.TIME_FOR_SERVICE,
      type: EquipmentType.TOOLS,
      search: "saw",
      order: EquipmentOrder.USAGE,
      descending: true,
      page: { limit: 100, cursor: "" },
    });
    expect(asked[1]?.page).toMatchObject({ limit: 100, cursor: "2" });
  });

  it("come all for an export, each row once", async () => {
    const { asked, transport } = threeRows();
    const rows = await allPages(transport, { status: "overdue" });
    expect(rows.map((row) => row.id)).toEqual(["a", "b", "c"]);
    expect(asked.map((each) => [each.order, each.status, each.page?.limit])).toEqual([
      [EquipmentOrder.URGENCY, ServiceStatus.OVERDUE, 500],
      [EquipmentOrder.URGENCY, ServiceStatus.OVERDUE, 500],
    ]);
  });
});

describe("the order", () => {
  it("is the screen's own until a heading says another", () => {
    expect(orderOf({}, "urgency")).toEqual({ order: EquipmentOrder.URGENCY, descending: false });
    expect(orderOf({ desc: true }, "name").descending).toBe(false);
    expect(orderOf({ sort: "updated", desc: true }, "name")).toEqual({
      order: EquipmentOrder.UPDATED,
      descending: true,
    });
  });

  it("is read from a heading and shown in it", () => {
    expect(changeOfSort({ id: "usage", descending: false })).toEqual({ sort: "usage" });
    expect(changeOfSort({ id: "usage", descending: true })).toEqual({ sort: "usage", desc: true });
    expect(changeOfSort(null)).toEqual({});
    expect(sortOf({ sort: "name" })).toEqual({ id: "name", descending: false });
    expect(sortOf({})).toBeNull();
  });
});
