import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { SandboxHeader } from "./sandbox-header";

/** A dead end with a link back. */
export function SandboxMessage({
  icon,
  title,
  text,
  children,
}: {
  icon?: ReactNode;
  title: string;
  text?: string;
  /** Shown above the link. */
  children?: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <div className="flex min-h-dvh flex-col px-4 py-4 md:px-8 md:py-5">
      <SandboxHeader />
      <main
        id="main"
        tabIndex={-1}
        className="mx-auto flex w-full max-w-[30rem] flex-1 flex-col justify-center pb-16 outline-none"
      >
        {icon != null && <div className="mb-4 text-muted [&>svg]:size-9">{icon}</div>}
        <h1 tabIndex={-1} className="text-title font-[650]">
          {title}
        </h1>
        {text && <p className="mt-2 text-muted">{text}</p>}
        {children != null && <div className="mt-5">{children}</div>}
        <div className="mt-6">
          <Button asChild variant="primary">
            <Link to="/subscription">{t("sandbox.toSubscription")}</Link>
          </Button>
        </div>
      </main>
    </div>
  );
}
