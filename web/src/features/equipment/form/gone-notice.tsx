import { Link } from "@tanstack/react-router";
import { useTranslation } from "react-i18next";
import { Button } from "#/shared/ui/button";
import { Notice } from "#/shared/ui/notice";
import { useMergeTexts } from "./use-merge-texts";
import type { Gone } from "./use-save-equipment";

/** Shown if the equipment was retired or deleted while it was edited; typed values are kept. */
export function GoneNotice({ gone, id, name }: { gone: Gone; id: string; name: string }) {
  const { t } = useTranslation();
  const texts = useMergeTexts();
  return (
    <Notice tone="danger">
      <p className="font-semibold">{texts.gone(gone, name)}</p>
      <p>{t("equipment-form.gone.text")}</p>
      {gone.retired && (
        <div className="mt-3">
          <Button asChild>
            <Link to="/equipment/item/$id" params={{ id }}>
              {t("equipment-form.gone.toArchive")}
            </Link>
          </Button>
        </div>
      )}
    </Notice>
  );
}
