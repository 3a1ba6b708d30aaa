import { useTransport } from "@connectrpc/connect-query";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { Printer, Settings, UserPlus } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { companySettingsQuery } from "#/api/company-settings";
import { employeesQuery } from "#/api/employees";
import type { Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { useSession } from "#/session/session";
import { toast } from "#/shared/toast/store";
import { Button } from "#/shared/ui/button";
import { FoldedHeader } from "#/shared/ui/folded-header";
import { CardsCard } from "./cards-card";
import { InactiveNotice } from "./inactive-notice";
import { ManagersSection } from "./managers/managers-section";
import { NoOperators } from "./operators-empty";
import { OperatorsSection } from "./operators-section";
import { PhonesSection } from "./phones/phones-section";
import { PeopleDialogs, type OpenDialog, type PersonDialog } from "./people-dialogs";
import { knownOperators } from "./queries";
import { SettingsCard } from "./settings-card";
import { useMayChange } from "./use-may-change";
import { UsernamesCard } from "./usernames-card";

export function OperatorsPage({
  search,
  onSearch,
  linked,
  onClosed,
  resetDialog,
}: {
  search: string | undefined;
  onSearch: (search: string | undefined) => void;
  /** The dialog that the address opens. */
  linked?: "password" | "add" | "print" | undefined;
  /** A dialog was closed. Stable. */
  onClosed?: () => void;
  /** From the admin tools feature. */
  resetDialog: PersonDialog;
}) {
  const { t } = useTranslation();
  const transport = useTransport();
  const settings = useQuery(companySettingsQuery(transport));
  const people = useQuery(employeesQuery(transport));
  const session = useSession();
  const mayChange = useMayChange();
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null);
  const close = useCallback(() => {
    setOpenDialog(null);
    if (linked) onClosed?.();
  }, [linked, onClosed]);
  const company = settings.data?.settings;
  const passwordMissing = company?.operatorPasswordSet === false;
  const ask = useAsk(setOpenDialog, passwordMissing);
  const companyName = company?.companyName ?? session?.businessName ?? "";
  const known = useMemo(() => knownOperators(people), [people]);
  const operators = known ?? [];
  const blocked = mayChange ? undefined : t("operators.inactive.reason");
  const unknown = (data: unknown, { isPending }: UseQueryResult, failed: string) =>
    data ? undefined : isPending ? t("common.loading") : failed;
  const printCards = (people?: readonly Employee[]) => {
    if (operators.length === 0 || company?.operatorPasswordSet !== true) {
      toast.failure(t("operators.cards.cannot"), t("operators.cards.cannotText"));
    } else setOpenDialog({ dialog: "print", people });
  };
  const linkedDialog = (): OpenDialog | null => {
    if (!linked || settings.isPending || people.isPending) return null;
    if (linked === "print") return { dialog: "print" };
    if (linked === "password") return passwordMissing ? { dialog: "password" } : null;
    return mayChange ? { dialog: passwordMissing ? "password" : "add" } : null;
  };
  return (
    <>
      <FoldedHeader
        title={t("operators.pageTitle")}
        description={t("operators.subtitle")}
        secondary={
          <>
            <Button onClick={ask.settings}>
              <Settings aria-hidden className="size-4" />
              {t("operators.settings.open")}
            </Button>
            <Button
              disabledReason={
                unknown(known, people, t("operators.loadFailed")) ??
                unknown(company, settings, t("operators.settings.loadFailed"))
              }
              onClick={() => printCards()}
            >
              <Printer aria-hidden className="size-4" />
              {t("operators.cards.print")}
            </Button>
          </>
        }
        actions={
          <Button variant="primary" disabledReason={blocked} onClick={ask.add}>
            <UserPlus aria-hidden className="size-4" />
            {t("operators.form.add")}
          </Button>
        }
      />
      <div className="space-y-6">
        {!mayChange && <InactiveNotice />}
        <SettingsCard settings={settings} onChange={ask.settings} />
        <OperatorsSection
          people={people}
          company={companyName}
          search={search}
          onSearch={onSearch}
          onEdit={ask.edit}
          onReset={ask.reset}
          onRemove={ask.remove}
          onPrintCards={printCards}
          onRemoveMany={ask.removeMany}
          editBlocked={blocked}
          empty={
            <NoOperators
              passwordSet={company?.operatorPasswordSet ?? true}
              addBlocked={blocked}
              onSetPassword={ask.add}
              onAdd={ask.add}
            />
          }
        />
        <ManagersSection
          people={people}
          onAdd={ask.addManager}
          onEdit={ask.editManager}
          onReset={ask.reset}
          onRemove={ask.removeManager}
          onResetFactor={ask.resetFactor}
          blocked={blocked}
        />
        <PhonesSection />
        <div className="grid gap-5 lg:grid-cols-2">
          <UsernamesCard />
          <CardsCard />
        </div>
      </div>
      <PeopleDialogs
        openDialog={openDialog ?? linkedDialog()}
        settings={company}
        companyName={companyName}
        operators={operators}
        onOpen={setOpenDialog}
        resetDialog={resetDialog}
        onClose={close}
      />
    </>
  );
}

/**
 * Stable functions, so that rows don't render again. The first operator needs the shared password
 * first.
 */
function useAsk(setOpenDialog: (openDialog: OpenDialog) => void, passwordMissing: boolean) {
  return useMemo(
    () => ({
      settings: () => setOpenDialog({ dialog: "settings" }),
      add: () => setOpenDialog({ dialog: passwordMissing ? "password" : "add" }),
      edit: (person: Employee) => setOpenDialog({ dialog: "edit", person }),
      reset: (person: Employee) => setOpenDialog({ dialog: "reset", person }),
      remove: (person: Employee) => setOpenDialog({ dialog: "remove", person }),
      removeMany: (people: readonly Employee[]) => setOpenDialog({ dialog: "removeMany", people }),
      addManager: () => setOpenDialog({ dialog: "addManager" }),
      editManager: (person: Employee) => setOpenDialog({ dialog: "editManager", person }),
      removeManager: (person: Employee) => setOpenDialog({ dialog: "removeManager", person }),
      resetFactor: (person: Employee) => setOpenDialog({ dialog: "resetFactor", person }),
    }),
    [setOpenDialog, passwordMissing],
  );
}
