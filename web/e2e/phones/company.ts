import * as v from "valibot";

const ownerPassword = "gravel-7-quarry";
export const operatorPassword = "shovel-ready-77";
export const machine = "Excavator CAT 320";

const updateSchema = v.object({
  newUsage: v.nullable(v.number()),
  fuelAdded: v.nullable(v.number()),
  notes: v.nullable(v.string()),
  operatorName: v.string(),
});

/** A new company of an installation, over REST: a machine at 1,000 hours and two operators. */
export async function company(base: string) {
  let cookie = "";
  const call = async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(base + path, {
      method,
      headers: { "Content-Type": "application/json", "X-Requested-With": "XMLHttpRequest", cookie },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    cookie = answer.headers.getSetCookie()[0]?.split(";")[0] ?? cookie;
    return answer.status === 204 ? null : answer.json();
  };
  const stamp = Date.now().toString(36);
  const businessName = `Phone Works ${stamp}`;
  await call("POST", "/api/auth/signup", {
    businessName,
    email: `phones.${stamp}@example.com`,
    password: ownerPassword,
    timeZone: "America/Chicago",
  });
  await call("POST", "/api/equipment", {
    name: machine,
    type: "machinery",
    unit: "hours",
    fuelType: "diesel",
    currentUsage: 1000,
    serviceInterval: 250,
  });
  await call("POST", "/api/company-settings", { masterPassword: operatorPassword });
  const hire = async (firstName: string) => {
    const made = await call("POST", "/api/employees", { firstName, lastName: "Salazar" });
    return v.parse(v.object({ operatorUsername: v.string() }), made).operatorUsername;
  };
  return {
    businessName,
    maria: await hire("María"),
    juan: await hire("Juan"),

    /** The updates on the server in the order of their readings, as one line each. */
    stored: async () => {
      const all = v.parse(v.array(updateSchema), await call("GET", "/api/operator-updates"));
      return all
        .toSorted((a, b) => (a.newUsage ?? 0) - (b.newUsage ?? 0))
        .map(({ newUsage, fuelAdded, notes, operatorName }) =>
          [newUsage, fuelAdded, notes, operatorName].filter((each) => each).join(", "),
        );
    },
  };
}

export type Company = Awaited<ReturnType<typeof company>>;
