import type { ReactNode } from "react";
import { SandboxHeader } from "./sandbox-header";

export function CheckoutFrame({ summary, payment }: { summary: ReactNode; payment: ReactNode }) {
  return (
    <main
      id="main"
      tabIndex={-1}
      className="grid min-h-dvh grid-rows-[auto_1fr] outline-none lg:grid-cols-2 lg:grid-rows-1"
    >
      <div className="px-4 py-4 md:px-8 md:py-5 lg:justify-self-end lg:pr-16">
        <div className="mx-auto w-full max-w-[30rem] lg:w-[27rem] lg:max-w-full">
          <SandboxHeader />
          <div className="pt-8 lg:pt-16">{summary}</div>
        </div>
      </div>
      <div className="border-t border-line bg-raised px-4 py-6 md:px-8 lg:border-t-0 lg:border-l lg:pt-28 lg:pl-16">
        <div className="mx-auto w-full max-w-[30rem] lg:mx-0 lg:w-[27rem] lg:max-w-full">
          {payment}
        </div>
      </div>
    </main>
  );
}
