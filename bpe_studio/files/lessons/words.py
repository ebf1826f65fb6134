"""What the window and the pages of lessons say besides the lessons, in their languages.

To add a language, add a mapping with the keys of another one. What is missing is said in English.
"""

from __future__ import annotations

WORDS: dict[str, dict[str, str]] = {
    "Persian": {
        "Published examples": "مثال‌های منتشرشده",
        "Ideas": "ایده‌ها",
        "Common mistakes": "اشتباه‌های رایج",
        "Game": "بازی",
        "&Leave": "ترک درس",
        "Show: {}": "نمایش: {}",
        "Try &again": "تلاش دوباره",
        "&Back": "قبلی",
        "&Next": "بعدی",
        "&Finish": "پایان",
        "{} of {}": "{} از {}",
        "&Check": "بررسی پاسخ",
        "&Show the answer": "نمایش پاسخ",
        "&Save your results…": "ذخیرهٔ نتیجه‌ها…",
        "A number": "یک عدد",
        "Your answer": "پاسخ شما",
        "Left token": "توکن اول",
        "Right token": "توکن دوم",
        "Right": "درست است",
        "Right: {}": "درست است: {}",
        "→ The answer is {}": "← پاسخ درست: {}",
        "Not {}: try again": "{} درست نیست؛ دوباره امتحان کنید",
        "Preparing …": "در حال آماده‌سازی …",
        "This step could not be prepared. Try again, go to another step, or leave the lesson.": (
            "این گام آماده نشد. دوباره تلاش کنید، به گام دیگری بروید یا درس را ترک کنید."
        ),
        "You answered {} of {} questions right.": "به {} پرسش از {} پرسش درست پاسخ دادید.",
    },
}
