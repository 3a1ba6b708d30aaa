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
import { allPages } from "./all-pages";
import { useEquipmentPages } from "./equipment-pages";
import { changeOfSort, orderOf, sortOf } from "./order";

/** Three rows, two per page; the second is on both, as if it had moved between requests. */
function threeRows() {
  const requests: ListEquipmentRequest[] = [];
  const transport = createRouterTransport(({ service }) => {
    service(EquipmentService, {
      listEquipment: (request) => {
        requests.push(request);
        return request.page?.cursor
          ? { equipment: [{ id: "b" }, { id: "c" }], page: { nextCursor: "" } }
          : { equipment: [{ id: "a" }, { id: "b" }], page: { nextCursor: "2" }, matching: 3 };
      },
    });
  });
  return { requests, transport };
}

describe("pages of equipment", () => {
  it("form one list without duplicates, filtered on the server", async () => {
    const { requests, transport } = threeRows();
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
    await waitFor(() => expect(requests).toHaveLength(2));
    expect(requests[0]).toMatchObject({
      status: ServiceStatus.TIME_FOR_SERVICE,
      type: EquipmentType.TOOLS,
      search: "saw",
      order: EquipmentOrder.USAGE,
      descending: true,
      page: { limit: 100, cursor: "" },
    });
    expect(requests[1]?.page).toMatchObject({ limit: 100, cursor: "2" });
  });

  it("are all loaded for an export, without duplicates", async () => {
    const { requests, transport } = threeRows();
    const rows = await allPages(transport, { status: "overdue" });
    expect(rows.map((row) => row.id)).toEqual(["a", "b", "c"]);
    expect(requests.map((each) => [each.order, each.status, each.page?.limit])).toEqual([
      [EquipmentOrder.URGENCY, ServiceStatus.OVERDUE, 500],
      [EquipmentOrder.URGENCY, ServiceStatus.OVERDUE, 500],
    ]);
  });
});

describe("the order", () => {
  it("is the screen's default until a heading is pressed", () => {
    expect(orderOf({}, "urgency")).toEqual({ order: EquipmentOrder.URGENCY, descending: false });
    expect(orderOf({ desc: true }, "name").descending).toBe(false);
    expect(orderOf({ sort: "updated", desc: true }, "name")).toEqual({
      order: EquipmentOrder.UPDATED,
      descending: true,
    });
  });

  it("is set by a heading and shown in it", () => {
    expect(changeOfSort({ id: "usage", descending: false })).toEqual({ sort: "usage" });
    expect(changeOfSort({ id: "usage", descending: true })).toEqual({ sort: "usage", desc: true });
    expect(changeOfSort(null)).toEqual({});
    expect(sortOf({ sort: "name" }, "urgency")).toEqual({ id: "name", descending: false });
    expect(sortOf({}, "urgency")).toEqual({ id: "urgency", descending: false });
  });
});
