import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { sessionQuery } from "#/session/session";
import { Brand } from "#/shared/ui/brand";
import { LanguageSwitch } from "#/shared/language-switch";
import { SecondFactorCard } from "./second-factor-card";

/** Shown instead of all pages while a required second factor is missing. */
export function SetUpSecondFactorPage({ logout }: { logout: ReactNode }) {
  const { t } = useTranslation();
  const client = useQueryClient();
  const router = useRouter();
  const finish = async () => {
    await client.refetchQueries({ queryKey: sessionQuery.queryKey });
    await router.navigate({ to: "/" });
  };
  return (
    <div className="flex min-h-dvh flex-col">
      <header className="flex items-center justify-between gap-3 px-4 py-3 md:px-6 md:py-4">
        <span className="inline-flex text-ink">
          <Brand />
        </span>
        <LanguageSwitch />
      </header>
      <main
        id="main"
        tabIndex={-1}
        className="mx-auto w-full max-w-2xl flex-1 space-y-5 px-4 pt-2 pb-10 outline-none md:pt-8"
      >
        <div>
          <h1 tabIndex={-1} className="text-title font-[650]">
            {t("second-factor.setUp.title")}
          </h1>
          <p className="mt-1 text-muted">{t("second-factor.setUp.text")}</p>
        </div>
        <SecondFactorCard onDone={() => void finish()} />
        {logout}
      </main>
    </div>
  );
}
