import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { Notice } from "#/shared/ui/notice";
import { Segmented } from "#/shared/ui/segmented";
import type { Correction } from "./correction";
import { useReasonText } from "#/shared/words/reject-reasons";
import { useWhen } from "#/shared/words/use-when";

/** The reason of the refusal, and the choice between the original reading and a new one. */
export function CorrectionNotice({
  correction,
  readThen,
  onReadThen,
  onStop,
}: {
  correction: Correction;
  readThen: boolean;
  onReadThen: (then: boolean) => void;
  onStop: () => void;
}) {
  const { t } = useTranslation();
  const when = useWhen();
  const reasonText = useReasonText();
  return (
    <>
      <Notice tone={correction.withdrawn ? "info" : "danger"}>
        <p>
          {correction.withdrawn
            ? t("phone.withdraw.correcting")
            : t("operator.form.correcting", { reason: reasonText(correction.reason) })}
        </p>
        <Button size="small" variant="secondary" className="mt-2 text-ink" onClick={onStop}>
          {t("operator.form.stopCorrecting")}
        </Button>
      </Notice>
      {correction.mayBeReadAgain && (
        <Segmented
          label={t("operator.form.readWhen")}
          value={readThen ? "then" : "now"}
          onChange={(value) => onReadThen(value === "then")}
          options={[
            { value: "then", label: when.at(correction.capturedAt) },
            { value: "now", label: t("operator.form.readNow") },
          ]}
        />
      )}
    </>
  );
}
