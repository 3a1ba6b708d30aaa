import { useTranslation } from "react-i18next";
import type { OperatorUpdate } from "#/api/gen/hourmeter/operator_updates/v1/operator_updates_pb";

/** "captured offline on Shop phone", if a phone sent it without a session. */
export function CapturedOn({ update }: { update: OperatorUpdate }) {
  const { t } = useTranslation();
  const { capturedOnDevice: label } = update;
  return label && <span className="block">{t("review.entry.device", { label })}</span>;
}
