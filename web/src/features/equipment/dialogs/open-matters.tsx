import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useErrorText } from "#/api/error-text";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { Notice } from "#/shared/ui/notice";
import type { OpenMatter, OpenMatters } from "./use-open-matters";

/** What is open for machines that are to be removed. */
export function OpenMattersNotice({
  open,
  named = false,
  children,
}: {
  open: OpenMatters;
  /** Whether the machines are named. */
  named?: boolean;
  /** Asks what to do with the waiting updates. */
  children: ReactNode;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  if (open.error) {
    return (
      <ErrorPanel
        title={t("equipment-detail.open.loadFailed")}
        reason={errorText(open.error)}
        onRetry={() => void open.refetch()}
        retrying={open.isFetching}
      />
    );
  }
  if (!open.data) {
    return (
      <p role="status" className="text-muted">
        {t("equipment-detail.open.loading")}
      </p>
    );
  }
  if (open.data.length === 0) return null;
  return (
    <Notice>
      <ul className="max-h-60 space-y-1 overflow-y-auto">
        {open.data.map((matter) => (
          <li key={matter.equipment.id} className="wrap-anywhere">
            {named && <p className="font-semibold">{matter.equipment.name}</p>}
            <Sentences matter={matter} />
          </li>
        ))}
      </ul>
      {open.data.some(({ waiting }) => waiting.length > 0) && (
        <>
          <p className="mt-1">
            {t("equipment-detail.open.stay")}{" "}
            <Link
              to="/review"
              className="font-semibold whitespace-nowrap text-accent underline underline-offset-3"
            >
              {t("equipment-detail.open.review")}
            </Link>
          </p>
          {children}
        </>
      )}
    </Notice>
  );
}

function Sentences({ matter: { due, waiting } }: { matter: OpenMatter }) {
  const { t } = useTranslation();
  const names = due.map((task) =>
    task.fromForm ? t("equipment-detail.tasks.regular") : task.name,
  );
  return (
    <>
      {due.length > 0 && (
        <p>{t("equipment-detail.open.tasks", { count: due.length, names: names.join(", ") })}</p>
      )}
      {waiting.length > 0 && <p>{t("equipment-detail.open.waiting", { count: waiting.length })}</p>}
    </>
  );
}
