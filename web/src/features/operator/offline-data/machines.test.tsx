import { useQuery } from "@tanstack/react-query";
import { createRouterTransport } from "@connectrpc/connect";
import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { sessionQuery, useSession } from "#/session/session";
import { operator, renderPart, stubRest, type Call } from "#/test/render-app";
import { useMachines } from "./machines";
import { machine } from "../operator.fixture";

const noGrpcWeb = createRouterTransport(() => undefined);
const signedIn = { status: 200, body: operator };

function Names() {
  useQuery(sessionQuery);
  return useSession() ? <List /> : null;
}

function List() {
  const { machines, state } = useMachines();
  const text = machines.map(
    ({ name, fuel, meterReadAt }) => `${name} ${fuel} ${meterReadAt?.getDate()}`,
  );
  return <p>{`${state}: ${text.join(", ")}`}</p>;
}

it("fetches all pages as the signed-in user", async () => {
  const asked: Call[] = [];
  stubRest({
    "GET /api/auth/user": signedIn,
    "GET /api/meters": (call) => {
      asked.push(call);
      const meterReadAt = "2026-11-20T12:15:00.123456Z";
      return asked.length === 1
        ? {
            status: 200,
            body: [machine("e1", "Excavator", { meterReadAt })],
            headers: { "X-Next-Cursor": "a+b" },
          }
        : { status: 200, body: [machine("e2", "Trailer", { fuelType: "n/a", meterReadAt: null })] };
    },
  });
  await renderPart(<Names />, noGrpcWeb);
  expect(await screen.findByText("ready: Excavator diesel 20, Trailer n/a undefined")).toBeTruthy();
  const cursors = asked.map(({ path }) => new URL(path, "http://host").searchParams.get("cursor"));
  expect(cursors).toEqual(["", "a+b"]);
  expect(asked.map(({ headers }) => headers.get("X-Expected-User"))).toEqual([
    operator.id,
    operator.id,
  ]);
});

it("maps unknown values of a newer server to neutral ones", async () => {
  stubRest({
    "GET /api/auth/user": signedIn,
    "GET /api/meters": {
      status: 200,
      body: [machine("e1", "Excavator", { type: "boat", unit: "knots", fuelType: "hydrogen" })],
    },
  });
  await renderPart(<Names />, noGrpcWeb);
  expect(await screen.findByText(/^ready: Excavator n\/a/)).toBeTruthy();
});

it("shows no data of a user who is no longer signed in", async () => {
  let who: typeof operator = operator;
  stubRest({
    "GET /api/auth/user": () => ({ status: 200, body: who }),
    "GET /api/meters": () => ({ status: 200, body: [machine("e1", `of ${who.id}`)] }),
  });
  const { queryClient } = await renderPart(<Names />, noGrpcWeb);
  expect(await screen.findByText(/^ready: of u2/)).toBeTruthy();
  who = { ...operator, id: "u3" };
  await queryClient.refetchQueries({ queryKey: sessionQuery.queryKey });
  expect(await screen.findByText(/^ready: of u3/)).toBeTruthy();
});
