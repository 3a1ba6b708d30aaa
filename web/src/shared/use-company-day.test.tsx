import { createRouterTransport } from "@connectrpc/connect";
import { TransportProvider } from "@connectrpc/connect-query";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, renderHook } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, expect, it, vi } from "vitest";
import { AccountsService } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { useCompanyDay } from "./use-company-day";

afterEach(() => {
  vi.useRealTimers();
});

it("changes at the company's midnight, and when the page returns", async () => {
  vi.useFakeTimers({ now: new Date("2026-03-04T05:59:50Z") });
  const transport = createRouterTransport(({ service }) => {
    const settings = { timeZone: "America/Chicago" };
    service(AccountsService, { getCompanySettings: () => ({ settings }) });
  });
  const wrapper = ({ children }: { children: ReactNode }) => (
    <TransportProvider transport={transport}>
      <QueryClientProvider client={new QueryClient()}>{children}</QueryClientProvider>
    </TransportProvider>
  );
  const { result } = renderHook(() => useCompanyDay(), { wrapper });
  await act(() => vi.advanceTimersByTimeAsync(5));
  expect(result.current).toBe("2026-03-03");
  act(() => {
    vi.advanceTimersByTime(30_000);
  });
  expect(result.current).toBe("2026-03-04");
  vi.setSystemTime(new Date("2026-03-05T12:00:00Z"));
  act(() => {
    document.dispatchEvent(new Event("visibilitychange"));
  });
  expect(result.current).toBe("2026-03-05");
});
