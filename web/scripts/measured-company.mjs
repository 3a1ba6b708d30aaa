const machines = 12;

/** The cookies of a request to `url` in the format of a Playwright context. */
export function cookiesFor(url, cookies) {
  return cookies.split("; ").map((cookie) => {
    const [name, value] = cookie.split(/=(.*)/s);
    return { name, value, url };
  });
}

/**
 * Signs up a company with machines and an operator at a running product. Returns the Cookie headers
 * of both users' signed-in browsers.
 */
export async function measuredCompany(base) {
  const stamp = Date.now().toString(36);
  const password = `gravel-${stamp}`;
  const post = async (path, body, cookie = "") => {
    const answer = await fetch(base + path, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        "Idempotency-Key": crypto.randomUUID(),
        "X-Requested-With": "XMLHttpRequest",
        cookie,
      },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer;
  };
  const cookieOf = (answer) => answer.headers.getSetCookie()[0].split(";")[0];
  const signUp = await post("/api/auth/signup", {
    businessName: `Measured Works ${stamp}`,
    email: `measured.${stamp}@example.com`,
    password,
    timeZone: "America/Chicago",
  });
  const owner = cookieOf(signUp);
  for (let index = 1; index <= machines; index += 1) {
    await post(
      "/api/equipment",
      {
        name: `Excavator ${index}`,
        type: "machinery",
        unit: "hours",
        fuelType: "diesel",
        currentUsage: 1000 + index,
        serviceInterval: 250,
      },
      owner,
    );
  }
  const masterPassword = `shovel-${stamp}`;
  await post("/api/company-settings", { masterPassword }, owner);
  const hired = await post("/api/employees", { firstName: "María", lastName: "Salazar" }, owner);
  const { operatorUsername: operatorName } = await hired.json();
  const signIn = await post("/api/employee/login", { operatorName, password: masterPassword });
  return {
    owner: `${owner}; known=manager`,
    operator: `${cookieOf(signIn)}; known=operator`,
  };
}
