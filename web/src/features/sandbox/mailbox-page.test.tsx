import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createRouterTransport } from "@connectrpc/connect";
import { fireEvent, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { NotificationsService } from "#/api/gen/hourmeter/notifications/v1/notifications_pb";
import { owner, renderApp, stubRest } from "#/test/render-app";

const verification = {
  id: "m1",
  to: "Dana Ruiz <dana@acme.test>",
  subject: "Verify your email",
  plain: "Hello Dana,\n\nhttps://hm.test/verify-email#secret\n\nIgnore it otherwise.",
  sentAt: timestampFromDate(new Date(2026, 10, 28, 12)),
};

async function open(mail: (typeof verification)[] | null) {
  stubRest({ "GET /api/auth/user": { status: 200, body: owner } });
  const transport = createRouterTransport(({ service }) => {
    service(NotificationsService, {
      listSandboxMail: () => {
        if (!mail) throw new ConnectError("Not found", Code.NotFound);
        return { mail };
      },
    });
  });
  await renderApp("/sandbox/mail", transport);
}

it("shows the mail of the company, with its links", async () => {
  await open([verification]);
  const row = await screen.findByRole("button", { name: /Verify your email/ });
  expect(row.textContent).toContain("To Dana Ruiz <dana@acme.test>");
  fireEvent.click(row);
  const link = within(screen.getByRole("listitem")).getByRole("link");
  expect(link.getAttribute("href")).toBe("https://hm.test/verify-email#secret");
  expect(screen.getByText(/Ignore it otherwise/)).toBeTruthy();
  fireEvent.click(row);
  expect(screen.queryByText(/Ignore it otherwise/)).toBeNull();
});

it("keeps the lines of a long mail, and its links have no punctuation", async () => {
  const lines = Array.from(
    { length: 40 },
    (_, index) => `Roller ${index}: 12 h over (https://hm.test/equipment/item/${index}).`,
  );
  const plain = [...lines, "javascript:alert(1) ftp://hm.test/file"].join("\n");
  await open([{ ...verification, subject: "Monday", plain }]);
  fireEvent.click(await screen.findByRole("button", { name: /Monday/ }));
  expect(screen.getByText(/Roller 39/).textContent).toBe(plain);
  const links = within(screen.getByRole("listitem")).getAllByRole("link");
  expect(links).toHaveLength(40);
  expect(links[39]?.getAttribute("href")).toBe("https://hm.test/equipment/item/39");
  expect(links[39]?.getAttribute("rel")).toBe("noreferrer");
});

it("has an empty state", async () => {
  await open([]);
  expect(await screen.findByText("No mail yet")).toBeTruthy();
});

it("says that mail goes to an SMTP server", async () => {
  await open(null);
  expect(await screen.findByText("Mail goes to an SMTP server")).toBeTruthy();
});
