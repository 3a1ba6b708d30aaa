import { createRouterTransport } from "@connectrpc/connect";
import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { owner, renderApp, stubRest } from "#/test/render-app";

// It is never the same day in both zones.
it.each(["Pacific/Kiritimati", "Pacific/Pago_Pago"])(
  "names the company and the reader's day on a printed page of a company in %s",
  async (timeZone) => {
    stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
    const { queryClient } = await renderApp(
      "/equipment-list",
      createRouterTransport(({ service }) => {
        service(AccountsService, { getCompanySettings: () => ({ settings: { timeZone } }) });
      }),
    );
    const line = await screen.findByText(/^Acme Earthworks · Printed/);
    await waitFor(() => expect(queryClient.isFetching()).toBe(0));
    const today = new Date().toLocaleDateString("en-US", { dateStyle: "medium" });
    expect(line.textContent).toBe(`Acme Earthworks · Printed ${today}`);
    expect(line.className).toContain("hidden");
    expect(line.className).toContain("print:block");
  },
);
