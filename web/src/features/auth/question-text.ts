import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { key, type TextKey } from "#/i18n/key";

/** The server names its questions in English, and that name is what it wants back. */
const textByQuestion: Partial<Record<string, TextKey>> = {
  "What was the name of your first pet?": key("questions.firstPet"),
  "What was the make of your first vehicle?": key("questions.firstVehicle"),
  "In what city were you born?": key("questions.birthCity"),
  "What was the name of your elementary school?": key("questions.elementarySchool"),
  "What is your mother's maiden name?": key("questions.mothersMaidenName"),
  "What was the name of the street you grew up on?": key("questions.childhoodStreet"),
  "What was your childhood nickname?": key("questions.childhoodNickname"),
  "What was the first machine you learned to operate?": key("questions.firstMachine"),
  "What was the name of your first employer?": key("questions.firstEmployer"),
  "In what city did your parents meet?": key("questions.parentsMet"),
  "What was the first concert you went to?": key("questions.firstConcert"),
  "What is the middle name of your oldest sibling?": key("questions.siblingMiddleName"),
};

/** A question in the reader's language; one that this version does not know is shown as served. */
export function useQuestionText(): (question: string) => string {
  const { t } = useTranslation();
  return useCallback(
    (question) => {
      const known = textByQuestion[question];
      return known ? t(known) : question;
    },
    [t],
  );
}
