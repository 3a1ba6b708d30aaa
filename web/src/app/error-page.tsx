import { useRouter, type ErrorComponentProps } from "@tanstack/react-router";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { ErrorPanel } from "#/shared/ui/error-panel";

export function ErrorPage({ error }: ErrorComponentProps) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const router = useRouter();
  const [retrying, setRetrying] = useState(false);
  const retry = async () => {
    setRetrying(true);
    await router.invalidate();
    setRetrying(false);
  };
  return (
    <div className="mx-auto max-w-2xl px-4 py-16">
      <h1 tabIndex={-1} className="mb-4 text-title font-[650]">
        {t("shell.error.title")}
      </h1>
      <ErrorPanel
        title={t("shell.error.text")}
        reason={errorText(error)}
        onRetry={() => void retry()}
        retrying={retrying}
      />
    </div>
  );
}
