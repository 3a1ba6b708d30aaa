import { expect, it, describe, vi } from "vitest";
import { companyFiles } from "./company-export";

describe("companyFiles", () => {
  it("contains all pages of all lists as CSV and JSON", async () => {
    const asked: string[] = [];
    let limited = true;
    vi.stubGlobal("fetch", async (path: string) => {
      asked.push(path);
      if (path === "/api/company-settings" && limited) {
        limited = false;
        return new Response("{}", { status: 429, headers: { "Retry-After": "0" } });
      }
      const { pathname, searchParams } = new URL(path, "http://localhost");
      const isFirst = pathname === "/api/equipment" && !searchParams.get("cursor");
      const rows = isFirst
        ? [{ id: "m1", name: '=Digger, "big"', moreTasks: 1, serviceParts: [{ part: "Filter" }] }]
        : [{ id: "m2", name: "Árbol", moreTasks: 0 }];
      const body = /settings|info/.test(pathname) ? { id: "c1" } : rows;
      const headers: HeadersInit = isFirst ? { "X-Next-Cursor": "2" } : {};
      return new Response(JSON.stringify(body), { headers });
    });
    const files = new Map((await companyFiles()).map(({ name, input }) => [name, input]));
    for (const name of ["company.json", "fuel.csv", "service-tasks.csv", "audit-log.json"]) {
      expect([...files.keys()]).toContain(name);
    }
    expect(files.get("equipment.csv")).toContain(
      `m1,"'=Digger, ""big""",1,"[{""part"":""Filter""}]"\r\nm2,Árbol,0,\r\n`,
    );
    expect(asked.filter((path) => path === "/api/company-settings")).toHaveLength(2);
    expect(asked[0]).toBe("/api/company-settings/export");
    expect(asked).toContain("/api/equipment?limit=500&cursor=2");
    expect(asked.filter((path) => path.endsWith("/service-tasks"))).toEqual([
      "/api/equipment/m1/service-tasks",
    ]);
  });
});
