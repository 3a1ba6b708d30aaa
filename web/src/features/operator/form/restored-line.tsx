import { History } from "lucide-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { AlertDialog } from "#/shared/ui/alert-dialog";
import { Button } from "#/shared/ui/button";
import { useWhen } from "#/shared/words/use-when";

/** Shows that the form holds a restored draft, and when it was typed. */
export function RestoredLine({ writtenAt, onDiscard }: { writtenAt: Date; onDiscard: () => void }) {
  const { t } = useTranslation();
  const when = useWhen();
  const [asking, setAsking] = useState(false);
  return (
    <div className="flex items-center gap-3 rounded-(--control-radius) border border-line bg-sunken px-3.5 py-2">
      <p role="status" className="flex min-w-0 flex-1 gap-2.5 text-sm">
        <History aria-hidden className="mt-0.5 size-5 shrink-0 text-muted" />
        <span className="min-w-0">
          <span className="font-semibold">{t("operator.draft.restored")}</span>{" "}
          <span className="text-muted">
            {t("operator.draft.typed", { when: when.at(writtenAt) })}
          </span>
        </span>
      </p>
      <Button size="small" onClick={() => setAsking(true)}>
        {t("operator.outbox.discard")}
      </Button>
      <AlertDialog
        open={asking}
        onOpenChange={setAsking}
        title={t("operator.draft.discardTitle")}
        description={t("operator.draft.discardText")}
        confirmLabel={t("operator.outbox.discard")}
        onConfirm={() => {
          setAsking(false);
          onDiscard();
        }}
      />
    </div>
  );
}
