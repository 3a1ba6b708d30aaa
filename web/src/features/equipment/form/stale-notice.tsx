import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { Notice } from "#/shared/ui/notice";

/** Someone else saved this equipment meanwhile: nothing typed is lost until the person decides. */
export function StaleNotice({
  onReload,
  onSaveAnyway,
}: {
  onReload: () => void;
  onSaveAnyway: () => void;
}) {
  const { t } = useTranslation();
  return (
    <Notice tone="danger">
      <p className="font-semibold">{t("equipment.form.stale.title")}</p>
      <p>{t("equipment.form.stale.text")}</p>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button onClick={onReload}>{t("equipment.form.stale.reload")}</Button>
        <Button onClick={onSaveAnyway}>{t("equipment.form.stale.saveAnyway")}</Button>
      </div>
    </Notice>
  );
}
