// The rule as the set validator's text writes it, without tables or shortcuts.
using System;
using System.Collections.Generic;

public struct SetResult
{
    public readonly bool IsValid;
    public readonly string InvalidReason;

    public SetResult(bool isValid, string reason)
    {
        IsValid = isValid;
        InvalidReason = reason;
    }
}

public sealed class SetValidator
{
    public SetResult Validate(IReadOnlyList<Card> threeCards)
    {
        if (threeCards == null || threeCards.Count != 3)
            throw new ArgumentException("Exactly 3 cards are required.", "threeCards");

        var a = threeCards[0].Attributes;
        var b = threeCards[1].Attributes;
        var c = threeCards[2].Attributes;
        if (!IsValidAttribute((int)a.Number, (int)b.Number, (int)c.Number))
            return new SetResult(false, "Number is mixed");
        if (!IsValidAttribute((int)a.Shape, (int)b.Shape, (int)c.Shape))
            return new SetResult(false, "Shape is mixed");
        if (!IsValidAttribute((int)a.Color, (int)b.Color, (int)c.Color))
            return new SetResult(false, "Color is mixed");
        if (!IsValidAttribute((int)a.Shading, (int)b.Shading, (int)c.Shading))
            return new SetResult(false, "Shading is mixed");
        return new SetResult(true, null);
    }

    public IReadOnlyList<Card[]> FindAllSets(IReadOnlyList<Card> boardCards)
    {
        var results = new List<Card[]>();
        int n = boardCards.Count;
        for (int i = 0; i < n - 2; i++)
        for (int j = i + 1; j < n - 1; j++)
        for (int k = j + 1; k < n; k++)
        {
            var trio = new[] { boardCards[i], boardCards[j], boardCards[k] };
            if (Validate(trio).IsValid)
                results.Add(trio);
        }
        return results;
    }

    public bool AnySetExists(IReadOnlyList<Card> boardCards)
    {
        int n = boardCards.Count;
        for (int i = 0; i < n - 2; i++)
        for (int j = i + 1; j < n - 1; j++)
        for (int k = j + 1; k < n; k++)
        {
            var trio = new[] { boardCards[i], boardCards[j], boardCards[k] };
            if (Validate(trio).IsValid)
                return true;
        }
        return false;
    }

    private static bool IsValidAttribute(int x, int y, int z)
    {
        bool allSame = x.Equals(y) && y.Equals(z);
        bool allDiff = !x.Equals(y) && !y.Equals(z) && !x.Equals(z);
        return allSame || allDiff;
    }
}
