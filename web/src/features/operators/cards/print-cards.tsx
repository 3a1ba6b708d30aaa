import { useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import type { Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { useSession } from "#/session/session";
import { useFormat } from "#/shared/format/use-format";
import { OnPaper } from "#/shared/print/on-paper";
import { Button } from "#/shared/ui/button";
import { Dialog } from "#/shared/ui/dialog";
import { Segmented } from "#/shared/ui/segmented";
import { createStoredChoice, useStore } from "#/shared/store";
import { Notice } from "#/shared/ui/notice";
import { useCompanyZone } from "#/shared/use-company-day";
import { useDismissNotice } from "#/shared/use-dismiss-notice";
import { CardSheets } from "./card-sheets";
import { ChooseOperators } from "./choose-operators";
import { cardsPerSheet, usualPaper, type Paper } from "./sheets";
import { useReveal } from "./use-reveal";

const cardPaper = createStoredChoice<"usual" | Paper>("cardPaper", ["usual", "a4", "letter"]);

/**
 * Selects operators, reveals the operator password, creates one-time codes and prints the cards. The
 * secrets are held only here, until the print dialog closes or the page is left. `onClose` must be stable.
 */
export function PrintCards({
  operators: listed,
  companyName,
  stale,
  only = listed,
  onClose,
}: {
  operators: readonly Employee[];
  companyName: string;
  /** Someone who left still knows the password. */
  stale: boolean;
  /** The operators who are chosen at first; absent: all are. */
  only?: readonly Employee[] | undefined;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(only.map((operator) => operator.id)),
  );
  // A new operator is not in a list that could not be refreshed.
  const unlisted = only.filter(({ id }) => listed.every((operator) => operator.id !== id));
  const operators = [...listed, ...unlisted];
  const finish = usePrinted(onClose);
  const { secrets, pending, reveal } = useReveal();
  const usual = usualPaper(useCompanyZone());
  const choice = useStore(cardPaper);
  const paper = choice === "usual" ? usual : choice;
  const printed = operators.filter((operator) => chosen.has(operator.id));
  if (secrets !== null) {
    return (
      <OnPaper
        paper={paper === "letter" ? "letter-cards" : "cards"}
        fileName={`${t("operators.cards.title")} - ${companyName}`}
        onDone={finish}
      >
        <CardSheets operators={printed} companyName={companyName} secrets={secrets} />
      </OnPaper>
    );
  }
  const count = printed.length;
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t("operators.cards.print")}
      description={t("operators.cards.text")}
      footer={
        <>
          <Button onClick={onClose}>{t("common.cancel")}</Button>
          <Button
            variant="primary"
            pending={pending}
            pendingLabel={t("operators.cards.pending")}
            disabledReason={count === 0 ? t("operators.cards.chooseOne") : undefined}
            onClick={() => reveal(printed)}
          >
            {t("operators.cards.printCount", { count, cards: format.number(count) })}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        {stale && <Notice>{t("operators.cards.stale")}</Notice>}
        <ChooseOperators operators={operators} chosen={chosen} onChange={setChosen} />
        <Segmented
          label={t("operators.cards.paper")}
          value={paper}
          onChange={cardPaper.set}
          options={[
            { value: "a4", label: t("operators.cards.a4") },
            { value: "letter", label: t("operators.cards.letter") },
          ]}
        />
        <p className="text-sm text-muted">
          {count === 0
            ? t("operators.cards.chooseOne")
            : t("operators.cards.sheets", { count: Math.ceil(count / cardsPerSheet) })}
        </p>
      </div>
    </Dialog>
  );
}

/** Also settles the first step of a new company. Stable. */
function usePrinted(onClose: () => void): () => void {
  const dismiss = useDismissNotice();
  const [notice] = useState(useSession()?.notices.find(({ kind }) => kind === "first_cards"));
  return useCallback(() => {
    onClose();
    if (notice) dismiss(notice);
  }, [onClose, notice, dismiss]);
}
