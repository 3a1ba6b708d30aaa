import { ArrowLeft } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Brand } from "#/shared/ui/brand";
import { Button } from "#/shared/ui/button";
import { LanguageSwitch } from "#/shared/language-switch";
import { PageLink } from "#/shared/ui/page-link";

/** The layout of the sign-in and signup pages: a card with links below it. */
export function AuthFrame({
  title,
  subtitle,
  children,
  footer,
}: {
  title: string;
  subtitle: ReactNode;
  children: ReactNode;
  footer: ReactNode;
}) {
  const { t } = useTranslation();
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex items-center justify-between gap-3 px-4 py-3 md:px-6 md:py-4">
        <PageLink
          to="/"
          aria-label={t("shell.home")}
          className="inline-flex rounded-control text-ink"
        >
          <Brand />
        </PageLink>
        <div className="flex items-center gap-1">
          <LanguageSwitch />
          <Button asChild variant="quiet" className="max-md:hidden">
            <PageLink to="/">
              <ArrowLeft aria-hidden className="size-4" />
              {t("auth.backToHome")}
            </PageLink>
          </Button>
        </div>
      </header>
      <main
        id="main"
        tabIndex={-1}
        className="mx-auto flex w-full max-w-[30rem] flex-1 flex-col justify-center px-4 pt-2 pb-10 outline-none md:pb-24"
      >
        <div className="md:rounded-card md:border md:border-line md:bg-raised md:p-8">
          <h1 tabIndex={-1} className="text-title font-[650]">
            {title}
          </h1>
          <p className="mt-1 mb-6 text-muted">{subtitle}</p>
          {children}
        </div>
        <div className="mt-6 space-y-2 text-center text-muted">{footer}</div>
        <p className="mt-4 text-center md:hidden">
          <AuthLink to="/">{t("auth.backToHome")}</AuthLink>
        </p>
      </main>
    </div>
  );
}

export function AuthLink({
  to,
  children,
}: {
  to:
    | "/"
    | "/login"
    | "/employee-login"
    | "/signup"
    | "/forgot-password"
    | "/notifications"
    | "/profile";
  children: ReactNode;
}) {
  return (
    <PageLink
      to={to}
      className="inline-block py-1 font-semibold text-accent underline decoration-1 underline-offset-3 hover:text-accent-hover"
    >
      {children}
    </PageLink>
  );
}
