import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { Employee } from "#/api/gen/hourmeter/accounts/v1/accounts_pb";
import { useFormat } from "#/shared/format/use-format";
import { OnPaper } from "#/shared/print/on-paper";
import { Button } from "#/shared/ui/button";
import { Dialog } from "#/shared/ui/dialog";
import { Notice } from "#/shared/ui/notice";
import { CardSheets } from "./card-sheets";
import { ChooseOperators } from "./choose-operators";
import { cardsPerSheet } from "./sheets";
import { useReveal } from "./use-reveal";

/**
 * Selects operators, reveals the operator password and prints the cards. The password is held only
 * here, until the print dialog closes or the page is left. `onClose` must be stable.
 */
export function PrintCards({
  operators,
  companyName,
  stale,
  onClose,
}: {
  operators: readonly Employee[];
  companyName: string;
  /** Someone who left still knows the password. */
  stale: boolean;
  onClose: () => void;
}) {
  const { t } = useTranslation();
  const format = useFormat();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(operators.map((operator) => operator.id)),
  );
  const { password, pending, reveal, skip } = useReveal();
  const printed = operators.filter((operator) => chosen.has(operator.id));
  if (password !== null) {
    return (
      <OnPaper
        paper="cards"
        fileName={`${t("operators.cards.title")} - ${companyName}`}
        onDone={onClose}
      >
        <CardSheets operators={printed} companyName={companyName} password={password} />
      </OnPaper>
    );
  }
  const needsPassword = printed.some((operator) => !operator.hasPersonalPassword);
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
            onClick={needsPassword ? reveal : skip}
          >
            {t("operators.cards.printCount", { count, cards: format.number(count) })}
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        {stale && <Notice>{t("operators.cards.stale")}</Notice>}
        <ChooseOperators operators={operators} chosen={chosen} onChange={setChosen} />
        <p className="text-sm text-muted">
          {count === 0
            ? t("operators.cards.chooseOne")
            : t("operators.cards.sheets", { count: Math.ceil(count / cardsPerSheet) })}
        </p>
      </div>
    </Dialog>
  );
}
