// Answers questions about the rules, one line of answer for each line of standard input.
//
//   triple A B C        -> the invalid reason, or "valid"
//   triples             -> 531441 digits for every A, B, C in 0..80: 0..3 the first mixed attribute, 4 valid
//   board ID ID ...     -> "yes" or "no" (AnySetExists), then every Set as A,B,C
//   card ID             -> Number Shape Color Shading
//   deck SEED           -> the 81 ids from the top
//   random SEED BOUND N -> N numbers of Next(BOUND); bound 0: of Next()
//   day YYYY MM DD      -> the seed of that day
using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;

public static class Program
{
    private static readonly string[] Reasons =
        { "Number is mixed", "Shape is mixed", "Color is mixed", "Shading is mixed" };
    private static readonly SetValidator Validator = new SetValidator();
    private static readonly Dictionary<int, Card> Cards = Card.Universe().ToDictionary(card => card.Id);

    public static void Main()
    {
        for (string line = Console.In.ReadLine(); line != null; line = Console.In.ReadLine())
            Console.Out.WriteLine(Answer(line.Split(' ')));
    }

    private static string Answer(string[] words)
    {
        int[] numbers = words.Skip(1).Select(int.Parse).ToArray();
        switch (words[0])
        {
            case "triple": return Validator.Validate(On(numbers)).InvalidReason ?? "valid";
            case "triples": return Triples();
            case "board": return Board(On(numbers));
            case "card": return Attributes(Cards[numbers[0]].Attributes);
            case "deck": return Ids(new Deck(numbers[0]).Draw(81));
            case "random": return Numbers(new Random(numbers[0]), numbers[1], numbers[2]);
            case "day": return Deck.DailySeed(new DateTime(numbers[0], numbers[1], numbers[2])).ToString();
            default: throw new ArgumentException("unknown question: " + words[0]);
        }
    }

    private static IReadOnlyList<Card> On(int[] ids) { return ids.Select(id => Cards[id]).ToArray(); }

    private static string Ids(IEnumerable<Card> cards) { return string.Join(" ", cards.Select(card => card.Id)); }

    private static string Attributes(CardAttributes of)
    {
        return string.Join(" ", of.Number, of.Shape, of.Color, of.Shading);
    }

    private static string Board(IReadOnlyList<Card> cards)
    {
        var found = Validator.FindAllSets(cards).Select(trio => " " + string.Join(",", trio.Select(card => card.Id)));
        return (Validator.AnySetExists(cards) ? "yes" : "no") + string.Concat(found);
    }

    private static string Triples()
    {
        var digits = new StringBuilder(81 * 81 * 81);
        var trio = new Card[3];
        for (int a = 0; a < 81; a++)
        for (int b = 0; b < 81; b++)
        for (int c = 0; c < 81; c++)
        {
            trio[0] = Cards[a]; trio[1] = Cards[b]; trio[2] = Cards[c];
            var result = Validator.Validate(trio);
            digits.Append(result.IsValid ? 4 : Array.IndexOf(Reasons, result.InvalidReason));
        }
        return digits.ToString();
    }

    private static string Numbers(Random random, int bound, int count)
    {
        return string.Join(" ", Enumerable.Range(0, count).Select(_ => bound == 0 ? random.Next() : random.Next(bound)));
    }
}
