import { useTransport } from "@connectrpc/connect-query";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useTranslation } from "react-i18next";
import { equipmentSummaryQuery } from "#/api/equipment-summary";
import { useErrorText } from "#/api/error-text";
import { lazyWithTexts } from "#/i18n/lazy-with-texts";
import { useLimitText } from "#/shared/words/use-limit-text";
import { LimitNotice } from "#/shared/plans/limit-notice";
import { Button } from "#/shared/ui/button";
import { ErrorPanel } from "#/shared/ui/error-panel";
import { PageHeader } from "#/shared/ui/page-header";
import { Skeleton } from "#/shared/ui/skeleton";
import { equipmentQuery } from "../queries";
import { EquipmentForm } from "./equipment-form";

const ImportPage = lazyWithTexts(["refusals"], () =>
  import("../import/import-page").then((module) => module.ImportPage),
);

export function EquipmentFormPage({
  importing,
  editId,
  copyId,
  onSaved,
  onLeave,
  onDashboard,
  onList,
  onMachine,
}: {
  /** Many machines at once instead of the form. */
  importing: true | undefined;
  editId: string | undefined;
  /** The machine that a new one is a copy of. */
  copyId: string | undefined;
  onSaved: () => void;
  /** Back to where the form was opened. */
  onLeave: () => void;
  /** Back to the dashboard. */
  onDashboard: () => void;
  /** Back to the equipment list where the form was opened. */
  onList: (() => void) | undefined;
  /** Back to the page of the machine where the form was opened. */
  onMachine: (() => void) | undefined;
}) {
  const { t } = useTranslation();
  return (
    <>
      <Button
        variant="quiet"
        size="small"
        className="mb-2 -ml-3"
        onClick={onMachine ?? onList ?? onDashboard}
      >
        <ArrowLeft aria-hidden className="size-4" />
        {onMachine
          ? t("equipment-form.fields.backToMachine")
          : onList
            ? t("shell.titles.equipmentList")
            : t("equipment-form.fields.back")}
      </Button>
      {importing ? (
        <ImportPage />
      ) : editId ? (
        <>
          <PageHeader title={t("equipment-form.fields.editTitle")} />
          <LoadedEquipment id={editId} onSaved={onSaved} onLeave={onLeave} />
        </>
      ) : (
        <>
          <PageHeader
            title={t("shell.titles.addEquipment")}
            description={
              <>
                {t("equipment-form.several")}{" "}
                <Link
                  to="/add-equipment"
                  search={{ import: true }}
                  className="rounded-control font-semibold text-accent hover:underline"
                >
                  {t("equipment-form.severalLink")}
                </Link>
              </>
            }
          />
          <AddEquipment copyId={copyId} onSaved={onSaved} onLeave={onLeave} />
        </>
      )}
    </>
  );
}

function AddEquipment({
  copyId,
  onSaved,
  onLeave,
}: {
  copyId: string | undefined;
  onSaved: () => void;
  onLeave: () => void;
}) {
  // If the limit is unknown, the server still refuses equipment above it.
  const summary = useQuery(equipmentSummaryQuery(useTransport())).data;
  const blocked = useLimitText(summary);
  return (
    <div className="space-y-4">
      {blocked && <LimitNotice tone="danger" text={blocked} />}
      {copyId ? (
        <LoadedEquipment
          copied
          id={copyId}
          addBlocked={blocked}
          onSaved={onSaved}
          onLeave={onLeave}
        />
      ) : (
        <EquipmentForm equipment={null} addBlocked={blocked} onSaved={onSaved} onCancel={onLeave} />
      )}
    </div>
  );
}

/** The form to edit or copy a machine. */
function LoadedEquipment({
  id,
  copied = false,
  addBlocked,
  onSaved,
  onLeave,
}: {
  id: string;
  copied?: boolean;
  addBlocked?: string | undefined;
  onSaved: () => void;
  onLeave: () => void;
}) {
  const { t } = useTranslation();
  const errorText = useErrorText();
  const query = useQuery(equipmentQuery(useTransport(), id));
  if (query.data?.equipment) {
    return (
      <EquipmentForm
        {...(copied
          ? { equipment: null, copyOf: query.data.equipment }
          : { equipment: query.data.equipment })}
        addBlocked={addBlocked}
        onSaved={onSaved}
        onCancel={onLeave}
      />
    );
  }
  if (query.error) {
    return (
      <ErrorPanel
        title={t("equipment-form.fields.loadFailed")}
        reason={errorText(query.error)}
        onRetry={() => void query.refetch()}
        retrying={query.isFetching}
      />
    );
  }
  return (
    <div role="status" className="space-y-4">
      <span className="sr-only">{t("common.loading")}</span>
      <Skeleton className="h-64 w-full" />
      <Skeleton className="h-40 w-full" />
    </div>
  );
}
